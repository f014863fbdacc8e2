import { Injectable, type Type } from '@nestjs/common';
import type { ParameterFault } from '#contracts';

/** @returns the fault of the value, or undefined */
type FaultOf<V> = (value: V) => string | undefined | Promise<string | undefined>;

interface Check {
  parameter: string;
  faultOf: FaultOf<unknown>;
}

/**
 * Checks of parameters that need more than the value: the time, the configuration, a name server. Modules add their checks
 * when they start, and the validation pipe reports their faults together with those of the decorators.
 */
@Injectable()
export class ParameterChecks {
  private readonly checks = new Map<unknown, Check[]>();

  add<T extends object, P extends keyof T & string>(
    dto: Type<T>,
    parameter: P,
    faultOf: FaultOf<NonNullable<T[P]>>,
  ): void {
    const added: Check = { parameter, faultOf: faultOf as FaultOf<unknown> };
    this.checks.set(dto, [...(this.checks.get(dto) ?? []), added]);
  }

  /** @param faulty parameters that already have a fault */
  async faults(dto: unknown, instance: object, faulty: ReadonlySet<string>): Promise<ParameterFault[]> {
    const faults: ParameterFault[] = [];
    for (const { parameter, faultOf } of this.checks.get(dto) ?? []) {
      const value = (instance as Record<string, unknown>)[parameter];
      if (value === undefined || value === null || faulty.has(parameter)) continue;
      const reason = await faultOf(value);
      if (reason !== undefined) faults.push({ parameter, reason });
    }
    return faults;
  }
}
