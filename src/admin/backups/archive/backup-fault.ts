/** The file is no whole backup, or does not belong here. The message says why in a sentence. */
export class BackupFault extends Error {}
