//! Lines in, lines out: the dialects that graphical interfaces speak.
