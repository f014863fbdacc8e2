import type { Environment } from '#contracts';

/** A conversation that is erased: its row has no participant any more. */
export interface ErasedConversation {
  id: string;
  environment: Environment;
}

/** Columns that hold personal data, by table. */
export type PersonalColumns = Readonly<Record<string, readonly string[]>>;

/** The part of an erasure that the owner of some tables does: it removes the conversation's data from them. */
export interface ErasurePart {
  /** `test/architecture` compares it with the columns that exist. */
  erases: PersonalColumns;
  /**
   * Undefined: the transaction that marks the conversation removes the data.
   *
   * Removes everything, in batches of one transaction each. It runs at least twice, and again after a crash: it must be
   * cheap when nothing is left.
   * @param signal aborts between two batches
   * @returns false if some data is still in use: the part runs again a second later
   */
  erase?(conversation: ErasedConversation, signal: AbortSignal): Promise<boolean>;
}
