import { Injectable } from '@nestjs/common';
import { toPublicId, type Environment } from '#contracts';
import { Database } from '../../../core/database/database.service';
import type { Problem, ProblemSource } from '../problem';
import { FAILING_TOOLS, type FailingToolRow } from './tool-problems.rows';

/** Tools whose last three calls failed: the assistant answers without what it looks up there. */
@Injectable()
export class ToolProblems implements ProblemSource {
  constructor(private readonly database: Database) {}

  async find(environment: Environment): Promise<Problem[]> {
    const rows = await this.database.query<FailingToolRow>(FAILING_TOOLS, [environment]);
    return rows.map(({ id, name, count, first_at: firstAt, last_at: lastAt, samples }) => ({
      kind: 'tool_failing',
      cause: id,
      severity: 'warning',
      title: `The tool ${name} is failing: its latest calls were rejected or not answered.`,
      count,
      firstAt,
      lastAt,
      subject: { type: 'tool', id: toPublicId('tool', id) },
      samples: samples.map((sample) => toPublicId('tool_call', sample)),
    }));
  }
}
