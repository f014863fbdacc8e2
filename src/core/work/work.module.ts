import { BullModule, InjectQueue, Processor } from '@nestjs/bullmq';
import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Queue } from 'bullmq';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Configuration } from '../config/configuration';
import { DirectUrl } from '../database/connections/direct-connection';
import { StartConnections } from '../database/connections/start-connections';
import { DeploymentSecrets } from '../secrets/deployment-secrets';
import { DueWorkMonitor } from './monitor/due-work-monitor.service';
import { QueueHealth } from './queue-health.service';
import { openQueueServer, queueOptions, type QueueServer } from './queue-server';
import { TimerEntity } from './timers/timer.entity';
import { Timers } from './timers/timers.service';
import { WORKER_OPTIONS, WorkProcessor, type KeyJob } from './work.processor';
import { Work } from './work.service';

const QUEUE_SERVER = Symbol('the server of the queues');

/** Besides the application's `WorkModule`: the queues and processors of one kind. */
@Module({})
class KindModule {}

@Global()
@Module({
  providers: [
    {
      provide: QUEUE_SERVER,
      inject: [Configuration, DirectUrl, StartConnections, DeploymentSecrets],
      // BullMQ listens, and sets each connection's search_path, which a pooler in transaction mode does not keep.
      useFactory: async (
        { redisUrl }: Configuration,
        { value }: DirectUrl,
        connections: StartConnections,
        { namespace }: DeploymentSecrets,
      ) => {
        const server = await openQueueServer({ databaseUrl: value, redisUrl, namespace });
        connections.add(() => server.close());
        return server;
      },
    },
  ],
  exports: [QUEUE_SERVER],
})
class QueueServerModule implements OnApplicationShutdown {
  constructor(@Inject(QUEUE_SERVER) private readonly server: QueueServer) {}

  onApplicationShutdown(): Promise<void> {
    return this.server.close();
  }
}

/** Provides `Work` and `Timers` to every module, and the server to all queues. */
@Global()
@Module({
  imports: [
    QueueServerModule,
    TypeOrmModule.forFeature([TimerEntity]),
    BullModule.forRootAsync({
      inject: [QUEUE_SERVER],
      useFactory: (server: QueueServer) => queueOptions(server),
    }),
  ],
  providers: [Work, QueueHealth, Timers, DueWorkMonitor],
  exports: [Work, QueueHealth, Timers, DueWorkMonitor],
})
export class WorkModule {
  /** The import of a module with a kind of work: a queue and its processor for each environment. */
  static forKind(kind: string): DynamicModule {
    const queues = ENVIRONMENTS.map((environment) => ({ name: queueOf(kind, environment) }));
    return {
      module: KindModule,
      imports: [BullModule.registerQueue(...queues)],
      providers: ENVIRONMENTS.map((environment) => processorOf(kind, environment)),
    };
  }
}

function queueOf(kind: string, environment: Environment): string {
  return `${kind}-${environment}`;
}

function processorOf(kind: string, environment: Environment): Type<WorkProcessor> {
  const queueName = queueOf(kind, environment);

  @Processor(queueName, WORKER_OPTIONS)
  class KindProcessor extends WorkProcessor {
    constructor(@InjectQueue(queueName) queue: Queue<KeyJob>, health: QueueHealth, work: Work) {
      super(queue, health, kind, environment);
      work.addProcessor(this);
    }
  }
  return KindProcessor;
}
