//! The facade that protocols drive.
