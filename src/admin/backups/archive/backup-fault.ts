/** A backup cannot be made, read or restored. The message says why in a sentence that operators and events may have. */
export class BackupFault extends Error {}
