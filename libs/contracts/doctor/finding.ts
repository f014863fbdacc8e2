import { FINDINGS, type FindingCode } from './findings';

/** `fault`: something does not work, or will lose data; `warning`: it works, and an operator should know of it. */
export type CheckStatus = 'ok' | 'warning' | 'fault';

/** One line of `gateway doctor`, as `--json` prints it. */
export interface DoctorFinding {
  /** The code of the finding ({@link FINDINGS}); where nothing is wrong, the name of the check. */
  name: string;
  status: CheckStatus;
  /** The observation. Never a secret. */
  message: string;
  /** Advice; null if nothing is wrong. */
  fix: string | null;
  /** The former name of `fix`, until version 2.0. */
  mend: string | null;
}

/** @param message what is wrong here, in one line: the names, numbers and answers that the catalogue cannot know */
export function finding(code: FindingCode, message: string): DoctorFinding {
  const { status, fix } = FINDINGS[code];
  return { name: code, status, message: oneLine(message), fix, mend: fix };
}

/** Nothing is wrong. */
export function healthy(name: string, message: string): DoctorFinding {
  return { name, status: 'ok', message: oneLine(message), fix: null, mend: null };
}

/** Texts of other servers go to a terminal: line breaks and control characters are removed, and the length is limited. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters are what must not reach a terminal
  const line = text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500)} …` : line;
}
