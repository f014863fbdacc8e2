import { CreateGroundFloor1764000000000 } from './migrations/1764000000000-create-ground-floor';
import { AddRestSurface1764000100000 } from './migrations/1764000100000-add-rest-surface';
import { CreateWebhooks1764000200000 } from './migrations/1764000200000-create-webhooks';
import { RecordReceipts1764000400000 } from './migrations/1764000400000-record-receipts';
import { GuideLists1764000500000 } from './migrations/1764000500000-guide-lists';
import { CountConversations1764000510000 } from './migrations/1764000510000-count-conversations';
import { RecordIntegrationHealth1764000600000 } from './migrations/1764000600000-record-integration-health';
import { RememberParticipantAliases1764000700000 } from './migrations/1764000700000-remember-participant-aliases';
import { DropEventOutbox1764001100000 } from './migrations/1764001100000-drop-event-outbox';
import { ShortenSends1764001110000 } from './migrations/1764001110000-shorten-sends';
import { ListConversationsBySlot1764001120000 } from './migrations/1764001120000-list-conversations-by-slot';
import { BoundAndRollKeys1764001200000 } from './migrations/1764001200000-bound-and-roll-keys';
import { RememberRolledValues1764001210000 } from './migrations/1764001210000-remember-rolled-values';
import { ShareAuditRows1764001220000 } from './migrations/1764001220000-share-audit-rows';
import { CountAuditLog1764001230000 } from './migrations/1764001230000-count-audit-log';
import { AnnounceAwaitedRequests1764001240000 } from './migrations/1764001240000-announce-awaited-requests';
import { BudgetTheAi1764001300000 } from './migrations/1764001300000-budget-the-ai';
import { HandPlatformsOver1764001400000 } from './migrations/1764001400000-hand-platforms-over';
import { CountOwnFaults1764001410000 } from './migrations/1764001410000-count-own-faults';
import { KeepExchanges1764001600000 } from './migrations/1764001600000-keep-exchanges';
import { SearchConversations1764001610000 } from './migrations/1764001610000-search-conversations';
import { RecordBackups1764001700000 } from './migrations/1764001700000-record-backups';
import { ShowCostAndWatermark1764001800000 } from './migrations/1764001800000-show-cost-and-watermark';
import { StoreTraceContext1764300000000 } from './migrations/1764300000000-store-trace-context';
import { IndexAuditTotals1764310000000 } from './migrations/1764310000000-index-audit-totals';
import { RetryReplies1765100000000 } from './migrations/1765100000000-retry-replies';
import { IndexHeldDispatches1765400000000 } from './migrations/1765400000000-index-held-dispatches';
import { PlaceAndVerifyBackups1765800000000 } from './migrations/1765800000000-place-and-verify-backups';
import { ReserveInOneRow1766200000000 } from './migrations/1766200000000-reserve-in-one-row';
import { CreateTimers1766500000000 } from './migrations/1766500000000-create-timers';
import { HandConversationsOver1766600000000 } from './migrations/1766600000000-hand-conversations-over';
import { CountFailedReplies1766600100000 } from './migrations/1766600100000-count-failed-replies';
import { LinkAMessagesLife1766700000000 } from './migrations/1766700000000-link-a-messages-life';
import { FilterAuditLog1766800000000 } from './migrations/1766800000000-filter-audit-log';
import { CountUseOfKeys1766800100000 } from './migrations/1766800100000-count-use-of-keys';
import { FindProblems1766800200000 } from './migrations/1766800200000-find-problems';
import { FindProblemsOfFiles1766800300000 } from './migrations/1766800300000-find-problems-of-files';
import { StoreAttachments1766900000000 } from './migrations/1766900000000-store-attachments';
import { NoticeMediaFolders1766900100000 } from './migrations/1766900100000-notice-media-folders';
import { ScheduleSends1767000000000 } from './migrations/1767000000000-schedule-sends';
import { ListFailedMessages1766710000000 } from './migrations/1766710000000-list-failed-messages';
import { MirrorTemplates1767000010000 } from './migrations/1767000010000-mirror-templates';
import { EraseConversations1767400000000 } from './migrations/1767400000000-erase-conversations';
import { BillPlatforms1767600000000 } from './migrations/1767600000000-bill-platforms';
import { JoinAlbums1767610000000 } from './migrations/1767610000000-join-albums';
import { PartitionByTime1767800000000 } from './migrations/1767800000000-partition-by-time';
import { VacuumLargeTables1767810000000 } from './migrations/1767810000000-vacuum-large-tables';
import { CountFilesOfBackups1767900000000 } from './migrations/1767900000000-count-files-of-backups';
import { KnowBackupsWithoutMedia1768400000000 } from './migrations/1768400000000-know-backups-without-media';
import { DropKeysOfInserts1768500000000 } from './migrations/1768500000000-drop-keys-of-inserts';
import { IndexFewerAuditEntries1768600000000 } from './migrations/1768600000000-index-fewer-audit-entries';
import { AppendAuditCounts1768700000000 } from './migrations/1768700000000-append-audit-counts';
import { RememberUnreadableFiles1770000000000 } from './migrations/1770000000000-remember-unreadable-files';
import { RememberNotices1770500000000 } from './migrations/1770500000000-remember-notices';
import { NameLimitsOfHandovers1770100000000 } from './migrations/1770100000000-name-limits-of-handovers';
import { StopCountingAuditLog1770600000000 } from './migrations/1770600000000-stop-counting-audit-log';
import { PlaceScheduledMessages1770700000000 } from './migrations/1770700000000-place-scheduled-messages';
import { LeaseSendsByTask1770720000000 } from './migrations/1770720000000-lease-sends-by-task';
import { KeepPagesOfTasks1770720100000 } from './migrations/1770720100000-keep-pages-of-tasks';
import { MergeConversations1770740000000 } from './migrations/1770740000000-merge-conversations';
import { KeepGroupReplies1770780000000 } from './migrations/1770780000000-keep-group-replies';
import { RecordReplyErrors1770800000000 } from './migrations/1770800000000-record-reply-errors';
import { LabelConversations1770800010000 } from './migrations/1770800010000-label-conversations';
import { KeepHandovers1770800020000 } from './migrations/1770800020000-keep-handovers';
import { KeepAiProviders1770790000000 } from './migrations/1770790000000-keep-ai-providers';
import { BillConversations1770800030000 } from './migrations/1770800030000-bill-conversations';
import { SearchMessages1770800040000 } from './migrations/1770800040000-search-messages';
import { NameKindsOfMail1770300000000 } from './migrations/1770300000000-name-kinds-of-mail';
import { KnowWhoseFiles1770310000000 } from './migrations/1770310000000-know-whose-files';
import { NameAccounts1770760000000 } from './migrations/1770760000000-name-accounts';
import { ChooseAccountsOfWebhooks1770761000000 } from './migrations/1770761000000-choose-accounts-of-webhooks';
import { FinishAccounts1770769000000 } from './migrations/1770769000000-finish-accounts';
import { CreateTools1770810000000 } from './migrations/1770810000000-create-tools';

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
  DropEventOutbox1764001100000,
  ShortenSends1764001110000,
  ListConversationsBySlot1764001120000,
  BoundAndRollKeys1764001200000,
  RememberRolledValues1764001210000,
  ShareAuditRows1764001220000,
  CountAuditLog1764001230000,
  AnnounceAwaitedRequests1764001240000,
  BudgetTheAi1764001300000,
  HandPlatformsOver1764001400000,
  CountOwnFaults1764001410000,
  KeepExchanges1764001600000,
  SearchConversations1764001610000,
  RecordBackups1764001700000,
  ShowCostAndWatermark1764001800000,
  StoreTraceContext1764300000000,
  IndexAuditTotals1764310000000,
  RetryReplies1765100000000,
  IndexHeldDispatches1765400000000,
  PlaceAndVerifyBackups1765800000000,
  ReserveInOneRow1766200000000,
  CreateTimers1766500000000,
  HandConversationsOver1766600000000,
  CountFailedReplies1766600100000,
  LinkAMessagesLife1766700000000,
  ListFailedMessages1766710000000,
  FilterAuditLog1766800000000,
  CountUseOfKeys1766800100000,
  FindProblems1766800200000,
  FindProblemsOfFiles1766800300000,
  StoreAttachments1766900000000,
  NoticeMediaFolders1766900100000,
  ScheduleSends1767000000000,
  MirrorTemplates1767000010000,
  EraseConversations1767400000000,
  BillPlatforms1767600000000,
  JoinAlbums1767610000000,
  PartitionByTime1767800000000,
  VacuumLargeTables1767810000000,
  CountFilesOfBackups1767900000000,
  KnowBackupsWithoutMedia1768400000000,
  DropKeysOfInserts1768500000000,
  IndexFewerAuditEntries1768600000000,
  AppendAuditCounts1768700000000,
  RememberUnreadableFiles1770000000000,
  NameKindsOfMail1770300000000,
  KnowWhoseFiles1770310000000,
  RememberNotices1770500000000,
  NameLimitsOfHandovers1770100000000,
  StopCountingAuditLog1770600000000,
  PlaceScheduledMessages1770700000000,
  LeaseSendsByTask1770720000000,
  KeepPagesOfTasks1770720100000,
  MergeConversations1770740000000,
  NameAccounts1770760000000,
  ChooseAccountsOfWebhooks1770761000000,
  KeepGroupReplies1770780000000,
  RecordReplyErrors1770800000000,
  LabelConversations1770800010000,
  KeepHandovers1770800020000,
  BillConversations1770800030000,
  SearchMessages1770800040000,
  KeepAiProviders1770790000000,
  CreateTools1770810000000,
];

/** Applied once no older version runs on the database any more: see `finishSchema`. */
export const FINISHING = FinishAccounts1770769000000;
