import type { AfterRestore } from '../backups/archive/restore';
import { DISABLE_ACCOUNTS } from '../../accounts/accounts.rows';
import { DROP_REPLIES } from '../../ai/assistant/reply-task.rows';
import { DISABLE_TOOLS } from '../../ai/tools/calls/tool-call.rows';
import { REMEMBER_RESTORE } from '../../core/secrets/deployment.rows';
import { FORGET_FOLDERS } from '../../media/media-folder.rows';
import { FAIL_PENDING_SENDS } from '../../messages/send/outbound.rows';
import { FAIL_PAST_SCHEDULED_SENDS } from '../../messages/send/scheduled-sends.rows';
import { HOLD_DISPATCHES } from '../../webhooks/dispatch/dispatch.rows';
import { HOLD_MAIL } from '../../webhooks/mail/mail-outbox.rows';

/** Work that was due when the backup was made may already be done, so nothing is sent automatically. */
export const AFTER_RESTORE: readonly AfterRestore[] = [
  { name: 'failed_sends', statement: FAIL_PENDING_SENDS },
  { name: 'failed_scheduled_sends', statement: FAIL_PAST_SCHEDULED_SENDS },
  { name: 'dropped_replies', statement: DROP_REPLIES },
  { name: 'held_deliveries', statement: HOLD_DISPATCHES },
  { name: 'held_mails', statement: HOLD_MAIL },
  { name: 'disabled_tools', statement: DISABLE_TOOLS },
  { name: 'disabled_accounts', statement: DISABLE_ACCOUNTS },
  { name: 'forgotten_folders', statement: FORGET_FOLDERS },
  { name: 'restore_times', statement: REMEMBER_RESTORE },
];

/** Lines for the operator about held and failed work. */
export function restoreNotes(changed: Readonly<Record<string, number>>): string[] {
  const { failed_sends, failed_scheduled_sends, dropped_replies, held_deliveries, held_mails } = changed;
  const { disabled_tools, disabled_accounts } = changed;
  return [
    'Work that was due when the backup was made does not continue automatically:',
    `  ${failed_sends} messages that were being sent are failed (ambiguous): they may have arrived`,
    `  ${failed_scheduled_sends} scheduled messages whose time has passed are failed (ambiguous); later ones are sent in time`,
    `  ${dropped_replies} conversations that waited for a reply get no reply`,
    `  ${held_deliveries} webhook deliveries and ${held_mails} mails are held: "gateway webhooks resume" sends them`,
    `  ${disabled_tools} tools are disabled: the assistant calls them again once you enable them`,
    `  ${disabled_accounts} accounts that the API made are disabled: the gateway connects them once you enable them`,
    '  keys of AI providers that the API set are not used: set them again',
    '  older messages that a platform still delivers are stored but not answered',
  ];
}
