/**
 * Ends the process when the one that started it is gone, whose pipe its standard input is: see `runBounded`. A service
 * that was killed can end nothing itself.
 */
process.stdin
  .once("close", () => process.exit(1))
  .resume()
  .unref();
