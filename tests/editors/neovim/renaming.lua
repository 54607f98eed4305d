open('flow.yaml')
vim.fn.search('Paid')
vim.lsp.util.apply_workspace_edit(request('textDocument/rename',
  vim.tbl_extend('error', vim.lsp.util.make_position_params(0, 'utf-16'), { newName = 'Settled' })), 'utf-16')
vim.cmd('silent wall')
vim.fn.cursor(1, 1)
vim.fn.search('Asked')
local made, why = request('textDocument/rename',
  vim.tbl_extend('error', vim.lsp.util.make_position_params(0, 'utf-16'), { newName = 'Settled' }))
told.why = why and why.message or vim.inspect(made)
