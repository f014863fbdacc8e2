import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { CredentialsCheck } from '../core/http/credentials-check.port';
import { LeaveBodyUnread } from '../core/http/leave-body-unread.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../core/openapi/api-errors.decorator';
import { IdParam } from '../core/validation/id-param.decorator';
import { Attachments } from './attachments.service';
import { Content } from './content/content.service';
import { AttachmentDto } from './dto/attachment.dto';
import { Uploads } from './uploads.service';

const AttachmentId = () => IdParam('attachment_id', 'attachment', 'Id of the attachment.');

const FILE = {
  '*/*': { schema: { type: 'string', format: 'binary', description: 'Bytes of the file.' } },
};

@ApiTags('Media')
@Controller({ version: '1' })
export class MediaController {
  constructor(
    private readonly uploads: Uploads,
    private readonly attachments: Attachments,
    private readonly content: Content,
    private readonly credentials: CredentialsCheck,
  ) {}

  @Post('media')
  @HttpCode(201)
  @LeaveBodyUnread()
  @RequireScope('write:messages')
  @ApiOperation({
    operationId: 'attachments.upload',
    summary: 'Upload a file',
    description:
      'Uploads one file of up to `media.max_bytes`. The upload may take ten minutes; it is aborted if it is slower than 16 KiB/s over ten seconds. On each instance, a key may upload 4 files at a time and an environment 16; above that the response is RATE_LIMIT_EXCEEDED. To send the file, name its id in `attachments`. A file that no send names is removed after 24 hours.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    required: true,
    schema: {
      type: 'object',
      required: ['file'],
      additionalProperties: false,
      properties: { file: { type: 'string', format: 'binary', description: 'The file.' } },
    },
  })
  @ApiEnvelope(AttachmentDto, { status: 201 })
  @ApiErrors('MISSING_PARAMETER')
  async upload(@CurrentCaller() caller: Caller, @Req() request: FastifyRequest): Promise<AttachmentDto> {
    const finish = await this.uploads.receive(caller, request);
    // The key may have been revoked during the upload.
    await this.credentials.check(request);
    return finish();
  }

  @Get('attachments/:attachment_id')
  @RequireScope('read:messages')
  @ApiOperation({
    operationId: 'attachments.get',
    summary: 'Read an attachment',
    description: 'Returns the metadata of a file, a place or a contact.',
  })
  @ApiEnvelope(AttachmentDto)
  read(@CurrentCaller() { environment }: Caller, @AttachmentId() id: string): Promise<AttachmentDto> {
    return this.attachments.read(environment, id);
  }

  @Get('attachments/:attachment_id/content')
  @RequireScope('read:messages')
  @ApiOperation({
    operationId: 'attachments.download',
    summary: 'Read the content of an attachment',
    description:
      'Returns the bytes of the file without envelope. Types that a browser might run or render are sent as `application/octet-stream`. A malformed or unsatisfiable range returns the whole file.',
  })
  @ApiHeader({
    name: 'Range',
    required: false,
    description: 'One range of bytes.',
    schema: { type: 'string' },
    example: 'bytes=0-1023',
  })
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: '`ETag` of an earlier response.',
    schema: { type: 'string' },
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  })
  @ApiResponse({ status: 200, description: 'Whole file.', content: FILE })
  @ApiResponse({ status: 206, description: 'Requested range.', content: FILE })
  @ApiResponse({ status: 304, description: 'The client’s copy is current.' })
  async readContent(
    @CurrentCaller() { environment }: Caller,
    @AttachmentId() id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.content.send(environment, id, request, reply);
  }
}
