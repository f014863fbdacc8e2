import { CreateGroundFloor1764000000000 } from './migrations/1764000000000-create-ground-floor';

/** In order. A landed migration is never edited. */
export const MIGRATIONS = [CreateGroundFloor1764000000000];
