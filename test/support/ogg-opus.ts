/** The first page of a voice message as Telegram and WhatsApp record it (RFC 7845): Opus in Ogg. */
export const OGG_OPUS: Buffer = Buffer.concat([
  Buffer.from('OggS\0\x02'),
  Buffer.alloc(20),
  Buffer.from('\x01\x13OpusHead\x01'),
  Buffer.alloc(60),
]);
