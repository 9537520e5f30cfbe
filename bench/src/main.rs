//! The workbench of the Ngũ Kỳ engines.
fn main() {}
