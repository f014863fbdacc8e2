import { Reflector } from '@nestjs/core';

/**
 * The longest body of an operation, in KiB, where 64 are too little: its longest valid one with every character escaped. An
 * escaped character outside of the Basic Multilingual Plane takes 12 bytes: `\ud83e\udd8a`.
 */
export const BodyLimit = Reflector.createDecorator<number>();
