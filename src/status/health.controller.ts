import { Controller, Get, type OnModuleDestroy } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { Public } from '../core/http/access.decorator';
import { ComponentHealth } from './components';
import { IndicatorDto, LivenessDto, ReadinessDto } from './dto/health.dto';

/** For load balancers: no key, no envelope. */
@ApiTags('Health')
@ApiExtraModels(IndicatorDto)
@Controller('health')
export class HealthController implements OnModuleDestroy {
  private stopping = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly components: ComponentHealth,
  ) {}

  /** The first hook of a stop: the later ones wait for what is in flight, and balancers should turn away before that. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** The process runs. Says nothing about what it depends on: restarting it would not help those. */
  @Get('live')
  @Public()
  @ApiOperation({ summary: 'Whether the process runs' })
  @ApiResponse({ status: 200, description: 'It runs.', type: LivenessDto })
  live() {
    return { status: 'ok' };
  }

  /** Requests can be served. 503 while the database is away, and while the process is stopping. */
  @Get('ready')
  @Public()
  @HealthCheck({ noCache: true, swaggerDocumentation: false })
  @ApiOperation({ summary: 'Whether requests can be served' })
  @ApiResponse({ status: 200, description: 'They can.', type: ReadinessDto })
  @ApiResponse({
    status: 503,
    description: 'They cannot: the database is away, or the process is stopping.',
    type: ReadinessDto,
  })
  ready() {
    return this.health.check([
      () => {
        const check = this.indicator.check('process');
        return this.stopping ? check.down('is stopping') : check.up();
      },
      async () => {
        const check = this.indicator.check('database');
        return (await this.components.databaseAnswers()) ? check.up() : check.down('does not answer');
      },
    ]);
  }
}
