import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import { BodyLimit } from '../../core/http/body-limit.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { withShownPrices, type SettingsChanges } from '../../core/settings/settings';
import { SettingsChangesDto, SettingsDto } from '../../core/settings/settings.dto';
import { SettingsService } from '../../core/settings/settings.service';
import { assertMayChange } from './settings-policy';
import { SettingsChangesPipe } from './settings-changes.pipe';

@ApiTags('Settings')
@Controller({ path: 'admin/settings', version: '1' })
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Read the settings',
    description: 'Returns all settings of the key’s environment. They contain no secrets.',
  })
  @ApiEnvelope(SettingsDto)
  async get(@CurrentCaller() { environment }: Caller) {
    return withShownPrices(await this.settings.read(environment));
  }

  @Patch()
  @BodyLimit(800)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Change settings',
    description:
      'Changes the settings in the body and returns all settings. Settings that the body does not name stay unchanged, even if two requests change settings at the same time.',
  })
  @ApiBody({ type: SettingsChangesDto })
  @ApiExamples({
    assistant: {
      summary: 'System prompt, and a fallback model with its prices',
      value: {
        ai: {
          system_prompt: 'You answer for the bakery Ada & Sons. Be brief.',
          fallback_models: ['claude-haiku-4-5'],
          prices: { 'claude-haiku-4-5': { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 } },
        },
      },
    },
    limits: {
      summary: 'Limits and retention',
      value: { rate_limits: { messages_per_minute: 120 }, retention: { audit_days: 30, delivery_days: 14 } },
    },
  })
  @ApiEnvelope(SettingsDto)
  async update(@CurrentCaller() caller: Caller, @Body(SettingsChangesPipe) changes: SettingsChanges) {
    assertMayChange(caller, changes);
    return withShownPrices(await this.settings.change(caller.environment, changes));
  }
}
