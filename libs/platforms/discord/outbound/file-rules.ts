import type { FileRules } from '../../media/plan';

const MIB = 1_024 * 1_024;
/** By boosts of the guild, from none: https://discord.com/developers/docs/resources/guild#guild-object-premium-tier */
const LARGEST_BY_TIER = [10 * MIB, 10 * MIB, 50 * MIB, 100 * MIB];
/** All files of a request together have this limit, unless the guild's limit for one file is higher. */
const LARGEST_REQUEST = 25 * MIB;

/** For every channel: https://discord.com/developers/docs/reference#uploading-files */
export const DEFAULT_LARGEST = LARGEST_BY_TIER[0]!;

export function largestOf(premiumTier: unknown): number {
  return LARGEST_BY_TIER[Number(premiumTier)] ?? DEFAULT_LARGEST;
}

/** Discord needs no type for a file; a message takes ten files of any types. */
export function fileRules(largest: number): FileRules {
  return {
    albumSize: 10,
    requestBytes: Math.max(largest, LARGEST_REQUEST),
    formOf: ({ sizeBytes }) =>
      sizeBytes > largest
        ? `Discord accepts files of up to ${largest / MIB} MiB in this channel`
        : { takesCaption: true, album: 'files' },
  };
}
