import { Controller, Get, type BeforeApplicationShutdown } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { Public } from '../core/http/access.decorator';
import { ComponentHealth } from './components';

/** For load balancers: no key, no envelope. */
@ApiExcludeController()
@Controller('health')
export class HealthController implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly components: ComponentHealth,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  /** The process runs. Says nothing about what it depends on: restarting it would not help those. */
  @Get('live')
  @Public()
  live() {
    return { status: 'ok' };
  }

  /** Requests can be served. 503 while the database is away, and while the process is stopping. */
  @Get('ready')
  @Public()
  @HealthCheck({ noCache: true })
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
