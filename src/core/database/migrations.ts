import { CreateGroundFloor1764000000000 } from './migrations/1764000000000-create-ground-floor';
import { AddRestSurface1764000100000 } from './migrations/1764000100000-add-rest-surface';
import { CreateWebhooks1764000200000 } from './migrations/1764000200000-create-webhooks';
import { RecordReceipts1764000400000 } from './migrations/1764000400000-record-receipts';

/** In order. A landed migration is never edited. */
export const MIGRATIONS = [
  CreateGroundFloor1764000000000,
  AddRestSurface1764000100000,
  CreateWebhooks1764000200000,
  RecordReceipts1764000400000,
];
