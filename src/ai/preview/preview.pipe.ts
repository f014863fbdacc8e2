import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import type { ParameterFault } from '#contracts';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { isObject, type JsonObject } from '../../core/settings/json-object';
import { hasEmptyGroup, priceFaults, settingsFaults } from '../../core/settings/settings';
import { ParameterChecks } from '../../core/validation/parameter-checks.service';
import { MISSING, parameterError } from '../../core/validation/request-faults';
import { ParameterValidation } from '../../core/validation/validation.pipe';
import { PreviewTargetDto, type PreviewDto } from '../dto/preview.dto';

/** Checks `settings` as a change of settings is checked, and the rest as any body is. */
@Injectable()
export class PreviewPipe implements PipeTransform<unknown, Promise<PreviewDto>> {
  private readonly validation: ParameterValidation;

  constructor(checks: ParameterChecks) {
    this.validation = new ParameterValidation(checks);
  }

  async transform(body: unknown, { type }: ArgumentMetadata): Promise<PreviewDto> {
    if (!isObject(body)) throw ApiError.malformed('the body must be a JSON object');
    const { settings, ...target } = body;
    const faults =
      settings === undefined
        ? [{ parameter: 'settings', reason: MISSING }]
        : faultsOf({ ai: settings }).map((fault) => ({
            ...fault,
            parameter: fault.parameter.replace(/^ai\b/, 'settings'),
          }));
    const valid = await this.validation.transform(target, { type, metatype: PreviewTargetDto }, faults);
    if (faults.length > 0) throw parameterError(faults);
    if (hasEmptyGroup({ ai: settings }))
      throw ApiError.malformed('settings, and each group in it, must have at least one setting');
    return { ...(valid as PreviewTargetDto), settings: settings as PreviewDto['settings'] };
  }
}

function faultsOf(change: JsonObject): ParameterFault[] {
  const faults = settingsFaults(change);
  return faults.length > 0 ? faults : priceFaults(change, change);
}
