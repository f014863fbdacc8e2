import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import { IdParam } from '../../core/validation/id-param.decorator';
import { DismissedProblemDto, ProblemDto, ProblemQuery } from './problem.dto';
import { ProblemsService } from './problems.service';

@ApiTags('Problems')
@Controller({ path: 'problems', version: '1' })
export class ProblemsController {
  constructor(private readonly problems: ProblemsService) {}

  @Get()
  @RequireScope('read:status')
  @ApiOperation({
    summary: 'List problems that need a person',
    description:
      'Returns up to 100 problems, grouped by cause, newest first. A problem disappears when its cause is gone; failed messages disappear once they are older than `since`.',
  })
  @ApiEnvelope(ProblemDto, { array: true })
  list(@CurrentCaller() { environment }: Caller, @Query() { since }: ProblemQuery) {
    return this.problems.list(environment, since);
  }

  @Post(':problem_id/dismiss')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Dismiss a problem',
    description: 'Hides a problem until it occurs again. Dismissing a hidden problem changes nothing.',
  })
  @ApiEnvelope(DismissedProblemDto)
  dismiss(
    @CurrentCaller() { environment }: Caller,
    @IdParam('problem_id', 'problem', 'Id of the problem.') id: string,
  ) {
    return this.problems.dismiss(environment, id);
  }
}
