import { Catch, type ExceptionFilter } from '@nestjs/common';

/**
 * For listeners: what they fail with reaches the adapter as it is. Without it the filters of the application, which answer
 * HTTP requests, would replace the error, or log it again.
 */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(error: unknown): never {
    throw error;
  }
}
