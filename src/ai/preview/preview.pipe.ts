import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { isObject } from '../../core/settings/json-object';
import { settingsFaults } from '../../core/settings/settings';
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
        : settingsFaults({ ai: settings }).map((fault) => ({
            ...fault,
            parameter: fault.parameter.replace(/^ai\b/, 'settings'),
          }));
    const valid = await this.validation.transform(target, { type, metatype: PreviewTargetDto }, faults);
    if (faults.length > 0) throw parameterError(faults);
    if (Object.keys(settings as object).length === 0) throw ApiError.malformed('settings must name a setting');
    return { ...(valid as PreviewTargetDto), settings: settings as PreviewDto['settings'] };
  }
}
