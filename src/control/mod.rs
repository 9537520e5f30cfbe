//! Limits, clock, stop signals, reports and options: what every search shares, whatever the game.
