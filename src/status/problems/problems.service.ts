import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { ProblemDismissalEntity } from '../entities/problem-dismissal.entity';
import { AiProblems } from './sources/ai-problems.service';
import { BackupProblems } from './sources/backup-problems.service';
import { ComponentProblems } from './sources/component-problems.service';
import { HandoverProblems } from './sources/handover-problems.service';
import { IntegrationProblems } from './sources/integration-problems.service';
import { MediaProblems } from './sources/media-problems.service';
import { MessageProblems } from './sources/message-problems.service';
import { problemId, type Problem, type ProblemSource } from './problem';
import type { DismissedProblemDto, ProblemDto } from './problem.dto';
import { ToolProblems } from './sources/tool-problems.service';
import { WebhookProblems } from './sources/webhook-problems.service';
import { DAY_MS } from '../../core/clock/timeline';

const MOST_PROBLEMS = 100;

/** Lists problems. They are derived from rows of other tables; only dismissals are stored (ADR 92). */
@Injectable()
export class ProblemsService {
  private readonly sources: readonly ProblemSource[];

  constructor(
    @InjectRepository(ProblemDismissalEntity) private readonly dismissals: Repository<ProblemDismissalEntity>,
    private readonly clock: Clock,
    messages: MessageProblems,
    ai: AiProblems,
    integrations: IntegrationProblems,
    webhooks: WebhookProblems,
    tools: ToolProblems,
    backups: BackupProblems,
    components: ComponentProblems,
    handovers: HandoverProblems,
    media: MediaProblems,
  ) {
    this.sources = [messages, ai, integrations, webhooks, tools, backups, components, handovers, media];
  }

  /** @param since ISO 8601; undefined: 24 hours ago */
  async list(environment: Environment, since?: string): Promise<ProblemDto[]> {
    const from = since === undefined ? new Date(this.clock.now() - DAY_MS) : new Date(since);
    const problems = await this.find(environment, from);
    const dismissedAt = await this.dismissedAt([...problems.keys()]);
    return [...problems]
      .filter(([id, { lastAt }]) => lastAt > (dismissedAt.get(id) ?? 0))
      .toSorted(([, one], [, other]) => other.lastAt.getTime() - one.lastAt.getTime())
      .slice(0, MOST_PROBLEMS)
      .map(([id, problem]) => toDto(id, problem));
  }

  /** @throws ApiError RESOURCE_NOT_FOUND if the problem neither exists nor was dismissed */
  async dismiss(environment: Environment, id: string): Promise<DismissedProblemDto> {
    const problem = (await this.find(environment, new Date(0))).get(id);
    let dismissedAt = (await this.dismissedAt([id])).get(id);
    if (!problem && !dismissedAt) throw ApiError.notFound('problem', toPublicId('problem', id));
    if (problem && problem.lastAt > (dismissedAt ?? 0)) {
      dismissedAt = this.clock.date();
      await this.dismissals.upsert({ problemId: id, dismissedAt }, ['problemId']);
    }
    return { id: toPublicId('problem', id), dismissed: true, dismissed_at: dismissedAt!.toISOString() };
  }

  private async find(environment: Environment, since: Date): Promise<Map<string, Problem>> {
    const found = await Promise.all(this.sources.map((source) => source.find(environment, since)));
    return new Map(found.flat().map((problem) => [problemId(environment, problem), problem]));
  }

  private async dismissedAt(ids: string[]): Promise<Map<string, Date>> {
    const rows = await this.dismissals.findBy({ problemId: In(ids) });
    return new Map(rows.map(({ problemId: id, dismissedAt }) => [id, dismissedAt]));
  }
}

function toDto(id: string, { kind, severity, title, count, firstAt, lastAt, subject, samples }: Problem): ProblemDto {
  return {
    id: toPublicId('problem', id),
    kind,
    severity,
    title,
    count,
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
    subject,
    samples,
  };
}
