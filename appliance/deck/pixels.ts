/** An upright picture: RGBA, 8 bits a channel, row by row from the top left. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** Degrees clockwise from an upright drawing to the orientation of the panel. */
export type Rotation = 0 | 90 | 180 | 270;

export interface JpegOptions {
  rotate: Rotation;
  /** 1 to 100. */
  quality: number;
  maxBytes?: number;
}

/**
 * Makes a baseline JPEG (one interleaved scan). With `maxBytes`, quality falls until the file
 * fits; a picture is never cut short.
 * @throws {Error} when no quality fits
 */
export type EncodeJpeg = (pixels: Pixels, options: JpegOptions) => Uint8Array | Promise<Uint8Array>;
