import type { FileRules } from '../../media/plan';

const MIB = 1_024 * 1_024;
/** By boosts of the guild, from none: https://discord.com/developers/docs/resources/guild#guild-object-premium-tier */
const LARGEST_BY_TIER = [10 * MIB, 10 * MIB, 50 * MIB, 100 * MIB];
/** Each file has the limit of the guild; all of a request have this one, where that is not higher. */
const LARGEST_REQUEST = 25 * MIB;

/** For every channel: https://discord.com/developers/docs/reference#uploading-files */
export const DEFAULT_LARGEST = LARGEST_BY_TIER[0]!;

export function largestOf(premiumTier: unknown): number {
  return LARGEST_BY_TIER[Number(premiumTier)] ?? DEFAULT_LARGEST;
}

/** Discord shows each type as what it is; a message takes ten files of any type. */
export function fileRules(largest: number): FileRules {
  return {
    albumSize: 10,
    requestBytes: Math.max(largest, LARGEST_REQUEST),
    formOf: ({ sizeBytes }) =>
      sizeBytes > largest
        ? `Discord takes files of up to ${largest / MIB} MiB in this channel`
        : { takesCaption: true, album: 'files' },
  };
}
