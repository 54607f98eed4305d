open('flow.yaml')
vim.fn.search('shared.yaml')
vim.lsp.util.apply_workspace_edit(request('textDocument/rename',
  vim.tbl_extend('error', vim.lsp.util.make_position_params(0, 'utf-16'), { newName = './lib/common.yaml' })), 'utf-16')
vim.cmd('silent wall')
