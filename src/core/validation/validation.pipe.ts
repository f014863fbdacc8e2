import { Injectable, ValidationPipe, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import type { ParameterFault } from '#contracts';
import { ApiError } from '../http/lifecycle/api-error';
import { lackingFields } from './at-least-one.decorator';
import { ITEMS } from './items.decorator';
import { dotted, readKnown } from './known-fields';
import { ParameterChecks } from './parameter-checks.service';
import { MISSING, parameterError, UNKNOWN_PARAMETER, unknownFields } from './request-faults';

/** Parameters whose values an answer never repeats: it may end in a log, or on the screen of a support case. */
const SECRET_PARAMETER = /^(?:secret|api_key|code|credentials\b.*)$/;

/** The errors that Nest's pipe found in an instance of the class. */
class InvalidInstance extends Error {
  constructor(
    readonly instance: object,
    readonly faults: ParameterFault[],
  ) {
    super('the request has invalid parameters');
  }
}

/**
 * Validates bodies and queries against their DTO class and collects every fault: missing parameters alone are
 * MISSING_PARAMETER, unknown body fields are INVALID_REQUEST, all else is INVALID_PARAMETER.
 */
@Injectable()
export class ParameterValidation implements PipeTransform {
  private readonly pipes = { body: pipeOf('body'), query: pipeOf('query') };

  constructor(private readonly checks: ParameterChecks) {}

  /** @param others faults of the same request, reported together with those found here */
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
    const { known, unknown } = readKnown(plain, metatype);
    if (type === 'body' && unknown.length > 0) throw unknownFields(unknown.map(({ parameter }) => parameter));
    const { instance, faults } = await this.pipes[type].transform(known, { type, metatype }).then(
      (valid: object) => ({ instance: valid, faults: [] as ParameterFault[] }),
      (error: unknown) => {
        if (error instanceof InvalidInstance) return error;
        throw error;
      },
    );
    const faulty = new Set(faults.map(({ parameter }) => parameter));
    faults.push(...(await this.checks.faults(metatype, instance, faulty)));
    faults.unshift(...others, ...unknown.map((fault) => ({ ...fault, reason: UNKNOWN_PARAMETER })));
    if (faults.length > others.length) throw parameterError(faults.map(withoutSecret));
    const lacking = lackingFields(metatype, instance);
    if (lacking) throw ApiError.malformed(`the body must have one of ${lacking.join(', ')}`);
    return instance;
  }
}

/** For a query, the decorators that name this group convert the fields. */
function pipeOf(group: 'body' | 'query'): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    transformOptions: { exposeDefaultValues: true, groups: [group] },
    stopAtFirstError: true,
    validationError: { target: true, value: true },
    exceptionFactory: (errors) =>
      new InvalidInstance(
        errors[0]!.target!,
        errors.flatMap((error) => faultsOf(error, '')),
      ),
    validatorPackage,
    transformerPackage,
  });
}

function withoutSecret({ parameter, reason, value }: ParameterFault): ParameterFault {
  return SECRET_PARAMETER.test(parameter) ? { parameter, reason } : { parameter, reason, value };
}

/** @param parent dotted name of the object that has the property */
export function faultsOf(
  { property, value, constraints, children }: validatorPackage.ValidationError,
  parent: string,
): ParameterFault[] {
  const parameter = dotted(parent, property);
  const nested = (children ?? []).flatMap((child) => faultsOf(child, parameter));
  if (!constraints) return nested;
  const message = Object.values(constraints)[0]!;
  if (ITEMS in constraints && value !== undefined) {
    return [...itemFaults(parameter, message, value as unknown[]), ...nested];
  }
  const reason = value === undefined ? MISSING : withoutName(message, property);
  return [{ parameter, reason, value }, ...nested];
}

/** One fault per line of `[index] reason`. */
function itemFaults(parameter: string, message: string, items: readonly unknown[]): ParameterFault[] {
  return message.split('\n').map((line) => {
    // Only `EachItem` writes these lines, so they match.
    const [, index, reason] = /^\[(\d+)\] (.*)$/.exec(line) as unknown as [string, string, string];
    return { parameter: `${parameter}[${index}]`, reason, value: items[Number(index)] };
  });
}

/** Removes the property's name, with which class-validator's messages start: a fault has it in a field of its own. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
