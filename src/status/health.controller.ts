import { Controller, Get } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { Public } from '../core/http/access.decorator';
import { IndicatorDto, LivenessDto, ReadinessDto } from './dto/health.dto';
import { DatabaseIndicator } from './indicators/database.indicator';
import { RequestDrain } from './request-drain.service';

/** For load balancers: no key, no envelope. */
@ApiTags('Health')
@ApiExtraModels(IndicatorDto)
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly database: DatabaseIndicator,
    private readonly drain: RequestDrain,
  ) {}

  /** Does not check dependencies: a restart of the process would not repair them. */
  @Get('live')
  @Public()
  @ApiOperation({
    summary: 'Check whether the process runs',
    description: 'For load balancers: returns 200 as long as the process runs, even while the database is unavailable.',
  })
  @ApiResponse({ status: 200, description: 'The process runs.', type: LivenessDto })
  checkLive() {
    return { status: 'ok' };
  }

  /** 503 while the database is unavailable, and while the process is stopping. */
  @Get('ready')
  @Public()
  @HealthCheck({ noCache: true, swaggerDocumentation: false })
  @ApiOperation({
    summary: 'Check whether requests can be served',
    description: 'For load balancers: returns 503 while the database is unavailable or the process is stopping.',
  })
  @ApiResponse({ status: 200, description: 'Requests can be served.', type: ReadinessDto })
  @ApiResponse({
    status: 503,
    description: 'The database is unavailable, or the process is stopping.',
    type: ReadinessDto,
  })
  checkReady() {
    return this.health.check([
      () => {
        const check = this.indicator.check('process');
        return this.drain.stopping ? check.down('is stopping') : check.up();
      },
      () => this.database.answers(),
    ]);
  }
}
