/*
 * Preloaded (`NODE_OPTIONS=--require …`), it makes a process believe that its machine's clock is off by CLOCK_SHIFT_MS, and
 * at SIGUSR2 that an operator set the clock to as much in the other direction. The monotonic clock goes on, as it does then.
 */
const process = require('node:process');

const RealDate = Date;
let shiftMs = Number(process.env.CLOCK_SHIFT_MS);

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shiftMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};

process.on('SIGUSR2', () => (shiftMs = -shiftMs));
