import { Injectable, type PipeTransform } from '@nestjs/common';
import { parsePlatform, type Platform } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';

/** Takes a platform by its name or its alias; any other word is an unknown resource. */
@Injectable()
export class PlatformPipe implements PipeTransform<string, Platform> {
  transform(word: string): Platform {
    const platform = parsePlatform(word);
    if (!platform) throw ApiError.notFound('platform', word);
    return platform;
  }
}
