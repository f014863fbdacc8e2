import { CreateGroundFloor1764000000000 } from './migrations/1764000000000-create-ground-floor';
import { AddRestSurface1764000100000 } from './migrations/1764000100000-add-rest-surface';
import { CreateWebhooks1764000200000 } from './migrations/1764000200000-create-webhooks';
import { RecordReceipts1764000400000 } from './migrations/1764000400000-record-receipts';
import { GuideLists1764000500000 } from './migrations/1764000500000-guide-lists';
import { CountConversations1764000510000 } from './migrations/1764000510000-count-conversations';
import { RecordIntegrationHealth1764000600000 } from './migrations/1764000600000-record-integration-health';
import { RememberParticipantAliases1764000700000 } from './migrations/1764000700000-remember-participant-aliases';

/** In order. A landed migration is never edited. */
export const MIGRATIONS = [
  CreateGroundFloor1764000000000,
  AddRestSurface1764000100000,
  CreateWebhooks1764000200000,
  RecordReceipts1764000400000,
  GuideLists1764000500000,
  CountConversations1764000510000,
  RecordIntegrationHealth1764000600000,
  RememberParticipantAliases1764000700000,
];
