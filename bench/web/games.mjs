// Games that the pictures show: moves of short searches from a usual opening, in each engine's own notation.

export const MOVES = {
  chess:
    "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 g1f3 e8g8 f1e2 b8a6 h2h3 c7c5 d4d5 a6c7 e1g1 e7e6 d5e6 c7e6 c1e3 b7b6 d1c2 c8b7 a1d1 d8e7 c3d5 e7d8 d1d2 f8e8 " +
    "d5c3 d8e7 f1d1 e6f8 e3g5 b7e4 c2b3 a8d8 g5f4 e4a8 f4h2 a8f3 g2f3 f6h5 c3e4 g7d4 e2f1 f8e6 b3a4 e6f4 g1h1 f7f5 e4g3 e7h4 g3h5 f4h5 a4c6 g8h8 c6d5 d4f2",
  xiangqi:
    "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 b0c2 c6c5 g3g4 g9e7 g2f4 h7h2 f4g2 h2h3 g2f4 h3h2 f4g2 h2h7 b2a2 c7d5 a0b0 b7c7 c2e1 h7h3 b0b6 d9e8 a2a6 h9h5 a6e6",
  shogi:
    "7g7f 3c3d 2g2f 8c8d 5i6h 2b8h+ 7i8h 3a2b 6i7h 2b3c 6h7i 5a4b 8h7g 4b3a 3i4h 4a3b 4g4f 7a6b 4h4g 7c7d 9g9f 6c6d 3g3f 8a7c 4g5f 8d8e 6g6f 6b6c 2i3g 1c1d 4i5h " +
    "6a5b 7i8h 9a9b 5f6g 5c5d 5g5f 4c4d 4f4e 4d4e 3g4e B*4f 2h2i 4f3g+ 4e3c 3b3c S*6a 8e8f 8g8f N*8e 7g6h 5b4c 8f8e 8b8e P*8g 6d6e N*2e 3c3b P*4d 4c4b 6f6e 8e8a " +
    "B*6f 8a6a 4d4c+ 4b4c 6f1a+ S*2b 1a1b 6c5b 2i4i P*4d L*4g 3g2f 4g4d 4c4d P*2g 2f2e 4i4d P*6f 6g6f N*8d 6h6g 3b4c 4d4c+ 5b4c P*4d R*4i 4d4c+ 4i4c+",
  go:
    "Q4 D4 D16 R16 P17 Q15 R17 S17 C3 C17 D17 C16 C15 B15 C4 C14 D15 R3 B16 B17 B14 A16 C13 Q3 P4 D5 D3 R4 Q17 F4 S18 C5 F3 G3 F2 G4 R5 S5 R6 S6 R7 S16 R12 R13 Q12 " +
    "T18 M17 L17 L18 S7 L16 R8 Q8 Q9 R9 S8 P8 P9 O8 O9 N9 R10 N10 N3 N5 O11 P13 K17 K16 K18 M18 J16 J17 H16 H17 K15 L15 G17 J18 K14 O10 J11 G16 D14 B12 D13 G15 H14 D12 " +
    "F13 E12 E13 F12 G13 C8 F18 E18 F16 F15 F17",
};

/** Positions in check, with the piece that may be looked at. */
export const CHECKS = {
  chess: "r1b1k2r/pp1n1ppp/2p1p3/8/1bPP4/2N1P3/PP1B1qPP/R2QKB1R w KQkq - 0 11",
  xiangqi: "3k5/4a4/4b4/9/9/4C4/9/3n5/4A4/2BAK4 w - - 0 1",
};

/** A whole game with errors, for the review. */
export const RECORD =
  '[White "Nguyễn Văn An"]\n[Black "Trần Thị Bích"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1\n';
