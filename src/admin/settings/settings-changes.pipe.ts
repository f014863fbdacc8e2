import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { isObject } from '../../core/settings/json-object';
import { hasEmptyGroup, settingsFaults, type SettingsChanges } from '../../core/settings/settings';
import { parameterError } from '../../core/validation/request-faults';

/** Unlike other bodies, changes of settings may contain maps, and each unknown field is an invalid parameter. */
@Injectable()
export class SettingsChangesPipe implements PipeTransform<unknown, SettingsChanges> {
  transform(body: unknown): SettingsChanges {
    if (!isObject(body)) throw ApiError.malformed('the body must be a JSON object');
    const faults = settingsFaults(body);
    if (faults.length > 0) throw parameterError(faults);
    if (hasEmptyGroup(body)) {
      throw ApiError.malformed('the body, and each group in it, must have at least one setting');
    }
    return body;
  }
}
