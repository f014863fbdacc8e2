import { Catch, type ExceptionFilter } from '@nestjs/common';

/**
 * For listeners: passes their errors on to the adapter unchanged. Otherwise the filters of the application, which answer HTTP
 * requests, would replace the error or log it again.
 */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(error: unknown): never {
    throw error;
  }
}
