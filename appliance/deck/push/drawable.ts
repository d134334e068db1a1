/**
 * The characters that the fonts of the keys have, as ranges of hexadecimal code points. Made by
 * scripts/make-drawable; do not edit.
 */
export const DRAWABLE =
  "20-7e a1-ac ae-1d8 1da-2cc 2ce-2d7 2da 2dc-2ff 370-377 37a-37f 384-38a 38c 38e-3a1 3a3-3e1" +
  " 3f0-482 48a-52f 1c80-1c88 1d00-1dbf 1e00-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f59" +
  " 1f5b 1f5d 1f5f-1f7d 1f80-1fb4 1fb6-1fc4 1fc6-1fd1 1fd3 1fd6-1fdb 1fdd-1fef 1ff2-1ff4" +
  " 1ff6-1ffe 2013-2014 2018-201a 201c-201e 2020 2022 2026 2032-2033 2039-203a 20a0-20c0 2113" +
  " 2116 2122 2190-2193 21af 21e6-21f0 21f3 2212 2218-2219 2299 22c4-22c6 2316 2318 2324-2328" +
  " 232b 237b 237d-237f 2394 23ce-23cf 23ed-23ef 23f1-23f2 23f4-2426 2440-244a 25a0-25fc" +
  " 25ff-2609 260e-2612 2616-2623 2630-2637 263c 2654-2668 2680-268f 269e-26a0 26ac 26bf-26c3" +
  " 26c6-26cd 26cf-26d3 26d5-26e1 2700-2704 2706-2709 270c-271c 2722-2727 2729-274b 274d" +
  " 274f-2752 2756 2758-2775 2794 2798-27af 27b1-27be 2801-28ff 2981 29bf 29eb 2b00-2b0d" +
  " 2b12-2b1a 2b1d-2b2f 2b4d-2b4f 2b51-2b54 2b56-2b73 2b76-2b95 2b97-2bfd 2bff a720-a7ca" +
  " a7d0-a7d1 a7d3 a7d5-a7d9 a7f2-a7ff";
