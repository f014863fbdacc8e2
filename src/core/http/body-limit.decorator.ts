import { Reflector } from '@nestjs/core';

/** The longest body of a handler, in KiB. */
export const LongestBody = Reflector.createDecorator<number>();

/**
 * The longest body of an operation, where 64 KiB are too little: its longest valid one with every character escaped. An
 * escaped character outside of the Basic Multilingual Plane takes 12 bytes: `\ud83e\udd8a`.
 */
export function BodyLimit(kibibytes: number): MethodDecorator {
  return LongestBody(kibibytes);
}
