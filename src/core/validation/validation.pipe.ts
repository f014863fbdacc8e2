import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import type { ParameterFault } from '#contracts';
import { ApiError } from '../http/lifecycle/api-error';
import { lackingFields } from './at-least-one.decorator';
import { ITEMS } from './items.decorator';
import { ParameterChecks } from './parameter-checks.service';

const UNKNOWN = 'whitelistValidation';
const MISSING = 'is required';
/** What is wrong with a parameter that nobody knows. */
export const UNKNOWN_PARAMETER = 'is not a known parameter';

/** `constructor`, `toString` and the like: class-transformer passes them over in silence, so they would not be unknown. */
const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Parameters whose value no answer repeats. */
const SECRET_PARAMETERS = new Set(['secret']);

/** Longest text repeated back in `value` of a fault. */
const SHOWN_VALUE_LENGTH = 100;

/**
 * Validates bodies and queries against their DTO class and collects every fault: one missing parameter is
 * MISSING_PARAMETER, unknown body fields are INVALID_REQUEST, all else is INVALID_PARAMETER.
 */
@Injectable()
export class ParameterValidation implements PipeTransform {
  constructor(private readonly checks: ParameterChecks) {}

  /** @param others faults of the same request that are told of together with those of its body */
  async transform(
    value: unknown,
    { type, metatype }: ArgumentMetadata,
    others: readonly ParameterFault[] = [],
  ): Promise<unknown> {
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return value;
    const plain = value === undefined ? {} : value;
    if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
      throw ApiError.malformed('the body must be a JSON object');
    }
    const readable = inheritedNames(plain, '').length > 0 ? withoutInherited(plain) : plain;
    const instance = plainToInstance(metatype as ClassConstructor<object>, readable, {
      exposeDefaultValues: true,
      groups: [type],
    });
    const errors = await validate(instance, {
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: false,
      stopAtFirstError: true,
      validationError: { target: false },
    });
    const faults = errors.flatMap((error) => faultsOf(error, ''));
    const faulty = new Set(faults.map(({ parameter }) => parameter));
    faults.push(...(await this.checks.faults(metatype, instance, faulty)));
    faults.unshift(...others, ...inheritedNames(plain, '', faulty));
    if (faults.length > others.length) throw toApiError(faults, type);
    const lacking = lackingFields(metatype, instance);
    if (lacking) throw ApiError.malformed(`the body must have one of ${lacking.join(', ')}`);
    return instance;
  }
}

function toApiError(faults: Fault[], type: 'body' | 'query'): ApiError {
  const unknown = faults.filter((fault) => fault.unknown).map(({ parameter }) => parameter);
  if (type === 'body' && unknown.length > 0) return unknownFields(unknown);
  return parameterError(
    faults.map(({ parameter, reason, value }) => ({
      parameter,
      reason,
      ...(!SECRET_PARAMETERS.has(parameter) && shown(value)),
    })),
  );
}

function unknownFields(fields: string[]): ApiError {
  return new ApiError('INVALID_REQUEST', { fields }, `Unknown field: ${fields.join(', ')}.`);
}

/** The error that tells of one or more faults. */
export function parameterError(faults: ParameterFault[]): ApiError {
  const [first] = faults as [ParameterFault];
  const summary = faults.map(({ parameter, reason }) => `${parameter} ${reason}`).join('; ');
  if (faults.every(({ reason }) => reason === MISSING)) {
    const details = { parameter: first.parameter, ...(faults.length > 1 && { errors: faults }) };
    return new ApiError('MISSING_PARAMETER', details, `${summary}.`);
  }
  return new ApiError('INVALID_PARAMETER', faults.length === 1 ? first : { errors: faults }, `${summary}.`);
}

interface Fault extends ParameterFault {
  unknown?: boolean;
}

/**
 * The fields, by their dotted names, that are called like something that every object inherits.
 * @param faulty what is at fault as a whole, and not looked into
 */
function inheritedNames(holder: object, parent: string, faulty: ReadonlySet<string> = new Set()): Fault[] {
  return Object.entries(holder).flatMap(([name, value]: [string, unknown]) => {
    const parameter = dotted(parent, name);
    if (INHERITED.has(name)) return [{ parameter, reason: UNKNOWN_PARAMETER, value, unknown: true }];
    const isHolder = typeof value === 'object' && value !== null && !faulty.has(parameter);
    return isHolder ? inheritedNames(value, parameter, faulty) : [];
  });
}

/** class-transformer would call whatever is under `constructor`. */
function withoutInherited(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutInherited);
  const fields = Object.entries(value).filter(([name]) => !INHERITED.has(name));
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutInherited(inner)]));
}

function dotted(parent: string, name: string): string {
  if (/^\d+$/.test(name)) return `${parent}[${name}]`;
  return parent ? `${parent}.${name}` : name;
}

function faultsOf({ property, value, constraints, children }: ValidationError, parent: string): Fault[] {
  const parameter = dotted(parent, property);
  const nested = (children ?? []).flatMap((child) => faultsOf(child, parameter));
  if (!constraints) return nested;
  const unknown = UNKNOWN in constraints;
  const message = Object.values(constraints)[0]!;
  if (ITEMS in constraints && value !== undefined) {
    return [...itemFaults(parameter, message, value as unknown[]), ...nested];
  }
  const reason = unknown ? UNKNOWN_PARAMETER : value === undefined ? MISSING : withoutName(message, property);
  return [{ parameter, reason, value, unknown }, ...nested];
}

/** One fault per line of `[index] reason`. */
function itemFaults(parameter: string, message: string, items: readonly unknown[]): Fault[] {
  return message.split('\n').map((line) => {
    const [, index, reason] = /^\[(\d+)\] (.*)$/.exec(line) as unknown as [string, string, string];
    return { parameter: `${parameter}[${index}]`, reason, value: items[Number(index)], unknown: false };
  });
}

/** class-validator's messages start with the property's name; faults carry it apart. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

/** Only short plain values are repeated back, well-formed: a lone surrogate has no UTF-8 form. */
function shown(value: unknown): { value?: unknown } {
  if (typeof value === 'string') {
    const cut = value.length > SHOWN_VALUE_LENGTH ? `${value.slice(0, SHOWN_VALUE_LENGTH)}…` : value;
    return { value: cut.toWellFormed() };
  }
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? { value } : {};
}
