import { PLACED } from '../../core/pagination/placement.rows';
import { WITH_MERGED } from '../../conversations/open-conversation.rows';
import { QUOTED_LENGTH, type QuotedMessageRow } from '../../conversations/quoted.rows';
import type { Direction } from '#contracts';
import { statement } from '../../core/database/database.service';

/** No index has the platform's id of a message of one part, so it is searched among the newest of its conversation. */
const NEWEST = 1_000;

/** SQL of the id of a message of either direction. The parameters are SQL of its values; those merged into the conversation count too. */
export const messageWithPlatformId = (
  environment: string,
  platform: string,
  account: string,
  id: string,
  conversation: string,
) => `
  SELECT id FROM messages WHERE environment = ${environment} AND platform = ${platform} AND account = ${account} AND received_id = ${id}
  UNION ALL
  SELECT message_id FROM message_parts
  WHERE environment = ${environment} AND platform = ${platform} AND account = ${account} AND platform_message_id = ${id} AND status <> 'received'
  UNION ALL
  SELECT message_id FROM message_parts
  WHERE environment = ${environment} AND platform = ${platform} AND account = ${account} AND platform_message_id = ${id} AND status = 'received'
  UNION ALL
  SELECT id FROM (
    SELECT m.id, m.platform_message_id FROM ${WITH_MERGED(conversation)} c CROSS JOIN LATERAL (
      SELECT id, platform_message_id FROM messages WHERE conversation_id = c.id AND ${PLACED}
      ORDER BY created_at DESC, id DESC LIMIT ${NEWEST}
    ) m
  ) newest WHERE platform_message_id = ${id}
  LIMIT 1`;

export type QuotableRow = Omit<QuotedMessageRow, 'deleted'> & { id: string; direction: Direction };

/** The message of a conversation with a platform's id. $1: environment, $2: platform, $3: the id, $4: conversation, $5: account. */
export const QUOTABLE = statement(
  'quotation-find',
  `SELECT id, left(content, ${QUOTED_LENGTH + 1}) AS content, CASE WHEN direction = 'inbound' THEN sender END AS sender, direction
   FROM messages
   WHERE id = (${messageWithPlatformId('$1::environment', '$2::text', '$5::text', '$3::text', '$4::uuid')}) AND conversation_id IN ${WITH_MERGED('$4')}`,
);
