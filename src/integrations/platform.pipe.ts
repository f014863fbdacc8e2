import { Injectable, type PipeTransform } from '@nestjs/common';
import { parsePlatform, type Platform } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';

/** Accepts a platform by its name or alias. @throws ApiError RESOURCE_NOT_FOUND for any other word */
@Injectable()
export class PlatformPipe implements PipeTransform<string, Platform> {
  transform(word: string): Platform {
    const platform = parsePlatform(word);
    if (!platform) throw ApiError.notFound('platform', word);
    return platform;
  }
}
