import { Controller, Get, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Public, RequireScope } from '../../core/http/access.decorator';
import { AccessDeclarations } from './access-declarations.service';

@Controller({ path: 'messages', version: '1' })
class DeclaringController {
  @Get()
  @RequireScope('read:messages')
  list() {}

  /** Not a handler: it has no route. */
  other() {}
}

@Controller('health')
class HealthController {
  @Get('live')
  @Public()
  live() {}
}

@Controller({ path: 'messages', version: '1' })
class ForgetfulController {
  @Get('forgotten')
  forgotten() {}
}

@Controller('metrics')
class ForgetfulMetricsController {
  @Get()
  forgotten() {}
}

@Controller({ path: 'messages', version: '1' })
class OpenController {
  @Get('open')
  @Public()
  open() {}
}

describe(AccessDeclarations, () => {
  async function start(...controllers: Type[]): Promise<void> {
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      controllers,
      providers: [AccessDeclarations],
    }).compile();
    await module.init();
    await module.close();
  }

  it('starts an application whose handlers all declare their access', async () => {
    await start(DeclaringController, HealthController);
  });

  it('refuses to start if a handler declares no access, under /api or not', async () => {
    await expect(start(DeclaringController, ForgetfulController, ForgetfulMetricsController)).rejects.toThrow(
      'ForgetfulController.forgotten declares no scope: add @RequireScope(…)\n' +
        'ForgetfulMetricsController.forgotten declares no scope: add @RequireScope(…)',
    );
  });

  it('refuses to start if a handler under /api is public', async () => {
    await expect(start(OpenController)).rejects.toThrow(
      'OpenController.open is @Public() under /api: add @RequireScope(…), or name it in PUBLIC_UNDER_API',
    );
  });
});
