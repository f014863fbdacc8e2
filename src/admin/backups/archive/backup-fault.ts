/** A backup cannot be made, read or restored. The message is a sentence that operators and events may show. */
export class BackupFault extends Error {}
