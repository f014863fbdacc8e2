import { Reflector } from '@nestjs/core';

/**
 * The longest body of an operation, in KiB, if 64 KiB are too little: its longest valid body with every character escaped.
 * An escaped character outside the Basic Multilingual Plane takes 12 bytes: `\ud83e\udd8a`.
 */
export const BodyLimit = Reflector.createDecorator<number>();
