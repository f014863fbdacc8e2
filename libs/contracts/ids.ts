import { randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** Resource → prefix of its public id. Public ids are TypeIDs (https://github.com/jetify-com/typeid): prefix + base32 UUIDv7. */
export const ID_PREFIXES = {
  account: 'acc',
  message: 'msg',
  conversation: 'conv',
  request: 'req',
  event: 'evt',
  webhook: 'wh',
  delivery: 'del',
  api_key: 'key',
  backup: 'bak',
  audit_entry: 'aud',
  attachment: 'att',
  problem: 'prob',
  tool: 'tool',
  tool_call: 'call',
} as const;
export type Resource = keyof typeof ID_PREFIXES;

/** Random numbers for some hundred ids: a call for each id would double the cost of an id. */
const randoms = new Uint32Array(512);
let taken = randoms.length;

function nextUint32(): number {
  if (taken === randoms.length) {
    randomFillSync(randoms);
    taken = 0;
  }
  return randoms[taken++]!;
}

const generator = new V7Generator({ nextUint32 });

/**
 * A new UUIDv7 (RFC 9562), in canonical lower-case form. Ids of one process grow strictly, also within one millisecond.
 * @param unixMilliseconds the time to put in it; default: the system clock's
 */
export function newUuid(unixMilliseconds: number = Date.now()): string {
  return generator.generateOrResetWithTs(unixMilliseconds).toString();
}

/** `message` + UUID → `msg_01h455vb4pex5vsknk084sn02q`. */
export function toPublicId(resource: Resource, uuid: string): string {
  return `${ID_PREFIXES[resource]}_${toBase32(uuid)}`;
}

/** The UUID inside a public id, or undefined where the text is not a well-formed id of that resource. */
export function fromPublicId(resource: Resource, publicId: string): string | undefined {
  if (!/^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(publicId)) return undefined;
  if (!publicId.startsWith(`${ID_PREFIXES[resource]}_`)) return undefined;
  return fromBase32(publicId.slice(-26));
}

/** Crockford's base32 in lower case, as in TypeIDs. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** The character codes of the alphabet. */
const CODES = Buffer.from(ALPHABET);
/** The positions of the 32 digits in a canonical UUID. */
const PLACES = [...'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'].flatMap((mark, place) => (mark === 'x' ? [place] : []));
/** The value of a hexadecimal digit, by its code. */
const VALUES = new Uint8Array(128);
for (let value = 0; value < 16; value++) VALUES[value.toString(16).charCodeAt(0)] = value;
const written = Buffer.alloc(26);

/**
 * The 128 bits of a canonical UUID in 26 characters, after two bits of zero. A page of a list needs forty: typeid-js, which
 * also checks the prefixes, takes eight times as long.
 */
function toBase32(uuid: string): string {
  let bits = 0;
  let count = 2;
  let length = 0;
  for (const place of PLACES) {
    bits = (bits << 4) | VALUES[uuid.charCodeAt(place)]!;
    count += 4;
    if (count < 5) continue;
    count -= 5;
    written[length++] = CODES[(bits >> count) & 31]!;
  }
  return written.toString('latin1');
}

/** The number of ten bits that two characters stand for. */
const BITS: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 1024 }, (_, bits) => [ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31), bits]),
);

/** The inverse of `toBase32`; the first of the 26 characters is at most 7. */
function fromBase32(text: string): string {
  let hex = BITS.get(text.slice(0, 2))!.toString(16).padStart(2, '0');
  for (let index = 2; index < 26; index += 4) {
    const bits = BITS.get(text.slice(index, index + 2))! * 1024 + BITS.get(text.slice(index + 2, index + 4))!;
    hex += bits.toString(16).padStart(5, '0');
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
