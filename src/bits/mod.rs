//! Bitboards and the attack tables of sliding pieces.
