import { Injectable, type Type } from '@nestjs/common';
import type { ParameterFault } from '#contracts';

/** @returns why the value is not acceptable, undefined when it is */
type FaultOf<V> = (value: V) => string | undefined | Promise<string | undefined>;

interface Check {
  parameter: string;
  faultOf: FaultOf<unknown>;
}

/**
 * Checks of parameters that need more than their value: the time, the configuration, a name server. Modules add theirs
 * when they start, and the validation pipe collects their faults with those that the decorators find.
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

  /** @param faulty parameters whose value is already known to be wrong */
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
