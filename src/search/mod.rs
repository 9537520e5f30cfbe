//! The alpha-beta search, generic over the game.
