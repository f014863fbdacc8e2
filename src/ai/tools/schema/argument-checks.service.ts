import { createContext, Script } from 'node:vm';
import { Injectable } from '@nestjs/common';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { withoutName, type JsonSchema } from './schema-fault';

/** Keywords by which a check may take more time than the schema times the arguments: references to itself, and each item against each. */
const MAY_TAKE_LONG = /"(?:\$ref|uniqueItems)"/;
/** Bytes of a schema times bytes of arguments: below this, comparing each value of a list with each of an `enum` takes milliseconds. */
const LITTLE_WORK = 5_000_000;
/** How long one try of such a check may hold the event loop, in milliseconds. */
const TIMEOUT_MS = 25;
/** A busy machine may stop the process for as long. */
const TRIES = 2;
/** Compiling takes longer, but happens once for each version of a schema. */
const COMPILE_TIMEOUT_MS = 250;
/** Compiled schemas that are kept: at most 64 tools an environment are enabled at once. */
const KEPT = 256;
const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
const OPTIONS = {
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
  inlineRefs: false,
  ownProperties: true,
  logger: false,
} as const;

/** Compiles schemas of tools and checks arguments against them. */
@Injectable()
export class ArgumentChecks {
  private readonly compiled = new LRUCache<string, ValidateFunction>({ max: KEPT });
  private readonly context = createContext({ run: undefined as (() => unknown) | undefined });
  private readonly script = new Script('run()');
  /** Checks schemas only. It compiles the schema of schemas once, which takes 100 times as long as a schema. */
  private readonly schemas = new Ajv2020(OPTIONS);

  /** The fault of a schema that is no JSON Schema, or takes too long; undefined if it is right. */
  compileFault(schema: JsonSchema): string | undefined {
    try {
      this.validatorOf(schema);
      return undefined;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === TIMED_OUT ? 'is too complicated' : `is no JSON Schema: ${message.slice(0, 200)}`;
    }
  }

  /** The fault of the arguments, in words for the model; undefined if they fit. */
  argumentFault(schema: JsonSchema, given: unknown): string | undefined {
    const text = JSON.stringify(schema);
    const validate = this.validatorOf(schema, text);
    const isLong = MAY_TAKE_LONG.test(text) || text.length * JSON.stringify([given]).length > LITTLE_WORK;
    const fits = isLong ? this.watched(() => validate(given)) : validate(given);
    if (fits === undefined) return 'The arguments take too long to check.';
    if (fits) return undefined;
    const [fault] = validate.errors ?? [];
    return `The arguments do not fit the schema: ${fault?.instancePath || 'they'} ${fault?.message ?? 'are wrong'}.`;
  }

  private validatorOf(schema: JsonSchema, key = JSON.stringify(schema)): ValidateFunction {
    const known = this.compiled.get(key);
    if (known) return known;
    // Outside the time limit: if Node interrupted the first compilation, the instance would be spoiled.
    void this.schemas.validateSchema({});
    const validate = this.within(COMPILE_TIMEOUT_MS, () => {
      const unnamed = withoutName(schema);
      void this.schemas.validateSchema(unnamed, true);
      return new Ajv2020({ ...OPTIONS, validateSchema: false, meta: false }).compile(unnamed);
    });
    this.compiled.set(key, validate);
    return validate;
  }

  /** @returns undefined if the check takes too long */
  private watched(check: () => boolean): boolean | undefined {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      try {
        return this.within(TIMEOUT_MS, check);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== TIMED_OUT) throw error;
      }
    }
    return undefined;
  }

  /** Runs synchronous work that Node interrupts when its time is up. */
  private within<T>(timeout: number, run: () => T): T {
    this.context['run'] = run;
    return this.script.runInContext(this.context, { timeout }) as T;
  }
}
