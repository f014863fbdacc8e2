import { Injectable, type PipeTransform } from '@nestjs/common';
import { fromPublicId, parsePlatform, type Platform } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';

export type PlatformOrAccount = { platform: Platform } | { accountId: string };

/** Accepts a platform by its name or alias, and an account by its id. @throws ApiError RESOURCE_NOT_FOUND for any other word */
@Injectable()
export class PlatformOrAccountPipe implements PipeTransform<string, PlatformOrAccount> {
  transform(word: string): PlatformOrAccount {
    const accountId = fromPublicId('account', word);
    if (accountId !== undefined) return { accountId };
    const platform = parsePlatform(word);
    if (!platform) throw ApiError.notFound('platform', word);
    return { platform };
  }
}
