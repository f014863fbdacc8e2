import { TypeID } from 'typeid-js';
import { V7Generator } from 'uuidv7';

/** Resource → prefix of its public id. Public ids are TypeIDs (https://github.com/jetify-com/typeid): prefix + base32 UUIDv7. */
export const ID_PREFIXES = {
  message: 'msg',
  conversation: 'conv',
  request: 'req',
  event: 'evt',
  webhook: 'wh',
  delivery: 'del',
  api_key: 'key',
  backup: 'bak',
  audit_entry: 'aud',
} as const;
export type Resource = keyof typeof ID_PREFIXES;

const generator = new V7Generator();

/**
 * A new UUIDv7 (RFC 9562), in canonical lower-case form. Ids made by one process grow strictly, also within one millisecond.
 * @param unixMilliseconds the time to put in it; default: the system clock's
 */
export function newUuid(unixMilliseconds: number = Date.now()): string {
  return generator.generateOrResetWithTs(unixMilliseconds).toString();
}

/** `message` + UUID → `msg_01h455vb4pex5vsknk084sn02q`. */
export function toPublicId(resource: Resource, uuid: string): string {
  return TypeID.fromUUID(ID_PREFIXES[resource], uuid).toString();
}

/** The UUID inside a public id, or undefined where the text is not a well-formed id of that resource. */
export function fromPublicId(resource: Resource, publicId: string): string | undefined {
  if (!/^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(publicId)) return undefined;
  if (!publicId.startsWith(`${ID_PREFIXES[resource]}_`)) return undefined;
  return TypeID.fromString(publicId, ID_PREFIXES[resource]).toUUID();
}
