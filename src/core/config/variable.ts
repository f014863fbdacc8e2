import type { Parser } from './parsers';

/** One environment variable: a row of the settings table. */
export interface Variable<T> {
  readonly name: string;
  readonly parser: Parser<T>;
  /** The text used when the variable is unset. */
  readonly fallback: string | ((env: NodeJS.ProcessEnv) => string) | undefined;
  /** The default as the documentation prints it. */
  readonly defaultText: string;
  readonly meaning: string;
  /** Fault lines and logs never contain its value. */
  readonly secret: boolean;
  /** Carries the type only. */
  readonly value?: T;
}

/** Variables that belong together: an object if all are set, undefined if all are unset, else a fault. */
export interface Together<G extends Group> {
  readonly together: G;
}

export interface Group {
  readonly [key: string]: Variable<unknown> | Together<Group> | Group;
}

/** The shape of the values of a group of variables. */
export type Values<G> = {
  readonly [K in keyof G]: G[K] extends Variable<infer T>
    ? Frozen<T>
    : G[K] extends Together<infer H>
      ? { readonly [L in keyof Values<H>]-?: NonNullable<Values<H>[L]> } | undefined
      : Values<G[K]>;
};
type Frozen<T> = T extends readonly (infer I)[] ? readonly I[] : T;

/** A variable that may stay unset. */
export function optional<T>(
  name: string,
  parser: Parser<T>,
  meaning: string,
  defaultText = 'unset',
): Variable<T | undefined> {
  return { name, parser, fallback: undefined, defaultText, meaning, secret: false };
}

/** As `optional`, but its value is never shown. */
export function secret<T>(
  name: string,
  parser: Parser<T>,
  meaning: string,
  defaultText = 'unset',
): Variable<T | undefined> {
  return { ...optional(name, parser, meaning, defaultText), secret: true };
}

/** A variable with a default, given as the text that would set it. */
export function withDefault<T>(
  name: string,
  fallback: string | ((env: NodeJS.ProcessEnv) => string),
  parser: Parser<T>,
  meaning: string,
  defaultText: string = typeof fallback === 'string' && fallback !== '' ? fallback : 'unset',
): Variable<T> {
  return { name, parser, fallback, defaultText, meaning, secret: false };
}

export function together<const G extends Group>(group: G): Together<G> {
  return { together: group };
}

export function isVariable(node: Group[string]): node is Variable<unknown> {
  return 'parser' in node;
}

export function isTogether(node: Group[string]): node is Together<Group> {
  return 'together' in node;
}

/** Every variable of a group, in the order of the table. */
export function variablesOf(group: Group): Variable<unknown>[] {
  return Object.values(group).flatMap((node) => {
    if (isVariable(node)) return [node];
    return variablesOf(isTogether(node) ? node.together : node);
  });
}
