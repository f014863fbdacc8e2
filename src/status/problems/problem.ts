import { hash } from 'node:crypto';
import type { Environment } from '#contracts';

export const PROBLEM_KINDS = [
  'message_failed',
  'ai_error',
  'ai_refused',
  'webhook_failing',
  'tool_failing',
  'integration_error',
  'backup_failed',
  'handover_waiting',
  'component_unhealthy',
  'media_failed',
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

export const SEVERITIES = ['warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The kinds of subjects. `subject.id` is the word of a platform or part, and the public id of any other subject. */
export const SUBJECT_TYPES = [
  'platform',
  'ai_provider',
  'webhook',
  'tool',
  'integration',
  'backup',
  'conversation',
  'component',
] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** A cause of failures that needs a person. */
export interface Problem {
  kind: ProblemKind;
  /** Distinguishes the problem from others of its kind. */
  cause: string;
  severity: Severity;
  /** A sentence that quotes no person's text. */
  title: string;
  /** How many times it has happened; counted up to {@link MOST_COUNTED}. */
  count: number;
  firstAt: Date;
  lastAt: Date;
  subject: { type: SubjectType; id: string };
  /** Public ids, newest first. */
  samples: string[];
}

/** Finds the problems of some kinds. */
export interface ProblemSource {
  /** @param since past failures count from this time; a state that lasts always counts */
  find(environment: Environment, since: Date): Promise<Problem[]>;
}

export const MOST_COUNTED = 10_000;
export const MOST_SAMPLES = 5;

/** The UUID (RFC 9562, version 8) of a problem: every instance computes the same. */
export function problemId(environment: Environment, { kind, cause }: Pick<Problem, 'kind' | 'cause'>): string {
  const digest = hash('sha256', JSON.stringify([environment, kind, cause]), 'hex');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  const digits = `${digest.slice(0, 12)}8${digest.slice(13, 16)}${variant}${digest.slice(17, 32)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
